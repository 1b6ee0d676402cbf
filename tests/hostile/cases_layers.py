"""cases_layers.py: I10, machines on which a layer is missing."""
from ground import case, fault

SPARED = ("cgroup", "landlock", "seccomp")
WAYS = {"landlock": ("landlock", "landlock-old"), "seccomp": ("seccomp",), "user": ("user", "user-filter"),
        "mount": ("mount",), "pid": ("pid",), "net": ("net",), "cgroup": ("cgroup",)}


def without(world, way, *options):
    """A run that would make the file `ran`, where the layer cannot be had."""
    command = world.command("touch", "ran", options=options)
    run = world.end(world.start([str(world.place.without), way, "--", *command]))
    if run.status == 98:
        fault(f"the layer could not be taken away: {run.err.decode()}")
    return run, (world.work / "ran").exists()


def missing(layer, way):
    def told(world):
        """Root in a namespace that has no room is not the root that writ asks for: it may stumble earlier."""
        crowded = layer in ("user", "mount", "pid", "net") and way == layer and not world.place.user
        return "LAYER_MISSING:" if crowded else f"LAYER_MISSING:{layer}"

    @case(f"I10 {way} is missing: nothing runs")
    def refuse(world):
        run, ran = without(world, way)
        if ran:
            world.expected.add("work/ran")
            fault("it ran all the same", run)
        run.refused(125, says=told(world))

    @case(f"I10 {way} is missing, and another one is spared: nothing runs")
    def other(world):
        run, ran = without(world, way, "--allow-weak", "landlock" if layer != "landlock" else "seccomp")
        if ran:
            world.expected.add("work/ran")
            fault("it ran all the same", run)
        run.refused(125, says=told(world))

    @case(f"I10 {way} is missing, and spared" + ("" if layer in SPARED else ": lists hold it, or nothing runs" if layer == "user" else ": nothing runs"))
    def spare(world):
        run, ran = without(world, way, "--allow-weak", layer)
        if layer == "user" and world.place.user:
            world.expected.add("work/ran")
            run.expect(0, assurance="weak", isolation="process", missing=["mount", "net", "pid", "user"],
                       layers=["cgroup", "landlock", "seccomp"])
            return
        if layer not in SPARED:
            if ran:
                fault("it ran all the same", run)
            run.refused(64, 65, 77, 125)
            return
        world.expected.add("work/ran")
        run.expect(0, assurance="weak")
        if not ran or layer in run["layers"]:
            fault(f"the record has {layer}", run)


for one, ways in WAYS.items():
    for each in ways:
        missing(one, each)


@case("I10 nothing is missing: all layers are in the record")
def full(world):
    world.expected.add("work/ran")
    run = world.run("touch", "ran").expect(0, assurance="full", isolation="namespaces", missing=[])
    if run["layers"] != sorted(WAYS):
        fault("not all of them", run)


@case("I10 a layer that is spared but there is used")
def spared(world):
    world.expected.add("work/ran")
    for layer in ("landlock", "user"):
        run = world.run("touch", "ran", options=["--allow-weak", layer])
        run.expect(0, assurance="full", isolation="namespaces")
        if run["layers"] != sorted(WAYS):
            fault("not all of them", run)


@case("I10 children stay bounded where the filter is spared")
def children(world):
    for options, most in ((["--no-fork"], 0), (["--max-children", 0], 0), (["--max-children", 2], 2)):
        command = world.command("children", 6, most, options=["--allow-weak", "seccomp", *options])
        run = world.end(world.start([str(world.place.without), "seccomp", "--", *command]))
        run.expect(0, assurance="weak")
