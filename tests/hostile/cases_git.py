"""cases_git.py: F38 to F40, names that steer other programs, and git that must go on working."""
import subprocess

from ground import case, fault

COMMIT = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false", "-c", "gc.auto=0",
          "-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", "inside"]
# The settings and hooks of git, and what editors, shells and assistants run when they see it.
PROTECTED = [".git/config", ".git/hooks/pre-commit", ".git/config.worktree", ".git/info/attributes",
             ".gitmodules", ".envrc", ".vscode/tasks.json", ".idea/workspace.xml", ".mcp.json",
             ".bashrc", ".profile", ".zshrc", ".bash_aliases", ".zlogin", ".zlogout",
             "AGENTS.md", ".github/workflows/ci.yml"]
# In write mode cow these are held by the commit: it wants them to be named.
COMMITTED = {".vscode/tasks.json", ".idea/workspace.xml", ".mcp.json", "AGENTS.md", ".github/workflows/ci.yml"}


def held(world, *names):
    """Those that the sandbox itself holds."""
    return [name for name in names if not (world.place.cow and name in COMMITTED)]


def bytes_of(root):
    """Every file of the protected names that is there."""
    return {name: (root / name).read_bytes() for name in PROTECTED if (root / name).is_file()}


def filled(world, root):
    """Each second name is there already; the others are not."""
    for name in PROTECTED[::2]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if not (root / name).exists():
            (root / name).write_text("# the owner's\n")
    (root / "seed").write_text("#planted\n")
    world.there = world.tree()
    return bytes_of(root)


def planted(world, root, before, run):
    after = bytes_of(root)
    if after != before:
        wrong = [name for name in PROTECTED if after.get(name) != before.get(name)]
        fault(f"planted: {wrong}", run)


def log(root):
    return subprocess.run(["git", "-c", "safe.directory=*", "log", "--oneline"], cwd=root,
                          capture_output=True, text=True).stdout


# What steers git in each directory where it keeps its state.
STATE = ["config", "hooks/pre-commit", "config.worktree", "info/attributes", "commondir", "gitdir"]


def state_of(gitdirs):
    """The files of these names that are there, by path."""
    return {path: path.read_bytes() for gitdir in gitdirs for path in (gitdir / name for name in STATE)
            if path.is_file()}


def actor(world, tree):
    """The hostile program, put where it can be started from."""
    inner = tree / world.mark
    inner.write_bytes(world.act.read_bytes())
    inner.chmod(0o755)
    world.expected.add(world.mark)
    return str(inner)


def state_stays(world, tree, gitdirs, **how):
    """None of it is changed or planted in any of them, by a command that works in the tree."""
    before = state_of(gitdirs)
    if not before:
        fault("nothing is there to be changed")
    run = world.run("plant", *(gitdir / name for gitdir in gitdirs for name in STATE), cwd=tree,
                    program=actor(world, tree), **how)
    after = state_of(gitdirs)
    if after != before:
        fault(f"planted: {sorted(str(path) for path in after if after[path] != before.get(path))}", run)
    world.holds("plant", *before, cwd=tree, program=actor(world, tree), **how)


def submodule(world, name):
    """A superproject with a submodule of that name, which may hold slashes, and one within that."""
    lib = world.home / "lib"
    if not lib.exists():
        lib.mkdir()
        world.git("init", "-q", cwd=lib)
        world.git("commit", "-q", "--allow-empty", "-m", "lib", cwd=lib)
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(lib))
    world.git(*add, name)
    world.git(*add, "deep", cwd=world.repo / name)
    world.there = world.tree()
    world.expected |= {".git", name}
    return world.repo / name, world.repo / ".git/modules" / name


@case("F38 names that steer other programs cannot be planted")
def plant(world):
    before = filled(world, world.repo)
    run = world.run("plant", *PROTECTED, cwd=world.repo)
    planted(world, world.repo, before, run)
    world.holds("plant", *held(world, *before), cwd=world.repo)


@case("F38 what was planted all the same is taken away, and told")
def told(world):
    (world.repo / ".envrc").unlink(missing_ok=True)
    run = world.run("plant", ".envrc", cwd=world.repo)
    planted(world, world.repo, bytes_of(world.repo), run)
    if run.status != 0 and ".envrc" not in str(run["denials"]):
        fault("the record does not tell", run)


@case("F38 a protected name that is a link cannot be replaced")
def plant_link(world):
    (world.repo / "real").write_text("# the owner's\n")
    for name in (".envrc", ".mcp.json"):
        (world.repo / name).symlink_to("real")
    (world.repo / "seed").write_text("#planted\n")
    world.there = world.tree()
    before = bytes_of(world.repo)
    run = world.run("plant", ".envrc", ".mcp.json", cwd=world.repo)
    planted(world, world.repo, before, run)


@case("F38 .git cannot be moved away and made anew")
def supplant(world):
    before = filled(world, world.repo)
    world.expected |= {".git", ".git.old"}
    run = world.run("supplant", ".git", "config", "hooks/pre-commit", "HEAD", cwd=world.repo)
    planted(world, world.repo, before, run)


@case("F38 nor their directories replaced")
def replace(world):
    before = filled(world, world.repo)
    (world.repo / ".git/hooks/pre-commit").write_text("#!/bin/sh\n")
    before = bytes_of(world.repo)
    run = world.run("replace", ".git/hooks", ".vscode", cwd=world.repo)
    planted(world, world.repo, before, run)
    run.expect()


@case("F38 in a working directory below the repository's root, too")
def plant_below(world):
    before = filled(world, world.work)
    run = world.run("plant", ".envrc", ".vscode/tasks.json", ".mcp.json", "../.git/config",
                    "../.git/hooks/pre-commit")
    planted(world, world.work, before, run)
    world.holds("plant", *held(world, ".vscode/tasks.json", ".mcp.json", "../.git/config"))


@case("F38 nor where git keeps the state of submodules, and of submodules in them")
def plant_modules(world):
    gitdir = submodule(world, "a/b")[1]
    state_stays(world, world.repo, [world.repo / ".git", gitdir, gitdir / "modules/deep"])


@case("F38 nor in .git as the working directory, or in parts of it")
def plant_gitdir(world):
    gitdir = submodule(world, "a/b")[1]
    git = world.repo / ".git"
    world.expected |= {"hooks", "info"}
    state_stays(world, git, [git, gitdir, gitdir / "modules/deep"])
    for part in (git / "info", git / "modules", gitdir):
        state_stays(world, part, [git, gitdir, gitdir / "modules/deep"])
    run = world.run("-c", "echo x > pre-commit", program="/bin/sh", cwd=git / "hooks")
    if (git / "hooks/pre-commit").exists():
        fault("planted a hook where hooks are", run)


@case("F38 nor where a file or a link named .git leads to")
def plant_led_to(world):
    real = world.repo / "real"
    (world.repo / ".git").rename(real)
    world.there = world.tree()
    world.expected |= {"real", ".git"}
    for lay in (lambda git: git.symlink_to("real"), lambda git: git.write_text("gitdir: real\n")):
        lay(world.repo / ".git")
        state_stays(world, world.repo, [real])
        run = world.run(*COMMIT, program="git", cwd=world.repo).expect()
        if ("inside" in log(world.repo)) == world.place.cow:
            fault("the commit is not where it should be", run)
        (world.repo / ".git").unlink()


@case("F38 git commit works inside")
def commit(world):
    world.expected |= {".git"}
    run = world.run(*COMMIT, program="git", cwd=world.repo)
    run.expect()
    if ("inside" in log(world.repo)) == world.place.cow:
        fault("the commit is not where it should be", run)


@case("F39 a second writable root that is a repository")
def second_root(world):
    other = world.home / "other"
    other.mkdir()
    world.git("init", "-q", cwd=other)
    (other / ".git/hooks").mkdir(exist_ok=True)
    (other / "seed").write_text("#planted\n")
    before = bytes_of(other)
    run = world.run("plant", other / ".git/hooks/pre-commit", other / ".git/config", other / ".envrc",
                    options=["--write", other])
    planted(world, other, before, run)
    world.holds("plant", other / ".git/config", options=["--write", other])


@case("F40 a linked worktree: commits work, hooks and settings do not change")
def worktree(world):
    world.git("commit", "-q", "--allow-empty", "-m", "first")
    tree = world.home / "tree"
    world.git("worktree", "add", "-q", str(tree), "-b", "side")
    world.expected |= {".git"}
    before = bytes_of(world.repo)
    run = world.run(*COMMIT, program="git", cwd=tree)
    run.expect()
    if ("inside" in log(tree)) == world.place.cow:
        fault("the commit is not where it should be", run)
    side = world.repo / ".git/worktrees/tree"
    names = [world.repo / ".git/hooks/pre-commit", world.repo / ".git/config", side / "config.worktree"]
    inner = tree / world.mark
    inner.write_bytes(world.act.read_bytes())
    inner.chmod(0o755)
    run = world.run("plant", *names, cwd=tree, program=str(inner))
    planted(world, world.repo, before, run)
    if (side / "config.worktree").exists():
        fault("planted: config.worktree", run)
    world.holds("plant", *names[:2], cwd=tree, program=str(inner))


@case("F40 the pointers of a linked worktree stay as they are")
def pointers(world):
    world.git("commit", "-q", "--allow-empty", "-m", "first")
    tree = world.home / "tree"
    world.git("worktree", "add", "-q", str(tree), "-b", "side")
    side = world.repo / ".git/worktrees/tree"
    before = [path.read_bytes() for path in (tree / ".git", side / "gitdir", side / "commondir")]
    inner = tree / world.mark
    inner.write_bytes(world.act.read_bytes())
    inner.chmod(0o755)
    run = world.run("plant", ".git", side / "gitdir", side / "commondir", cwd=tree, program=str(inner))
    if not (tree / ".git").is_file() or \
            [path.read_bytes() for path in (tree / ".git", side / "gitdir", side / "commondir")] != before:
        fault("a pointer was changed", run)


@case("F40 a submodule: commits work, hooks and settings do not change")
def commit_submodule(world):
    tree, gitdir = submodule(world, "a/b")
    run = world.run(*COMMIT, program="git", cwd=tree).expect()
    if ("inside" in log(tree)) == world.place.cow:
        fault("the commit is not where it should be", run)
    state_stays(world, tree, [gitdir, gitdir / "modules/deep"])
    world.run("touch", world.repo / ".git/planted", gitdir.parent / "planted", cwd=tree, program=actor(world, tree))
    if (world.repo / ".git/planted").exists() or (gitdir.parent / "planted").exists():
        fault("it wrote beside its own gitdir")


@case("F40 a .git that leads to a repository of others grants nothing of it")
def pointer_others(world):
    tree = world.home / "tree"
    tree.mkdir()
    inner = actor(world, tree)
    plain, apart = world.home / "plain", world.home / "apart"
    world.git("init", "-q", str(plain))
    world.git("init", "-q", f"--separate-git-dir={world.home}/apart.git", str(apart))
    world.git("init", "-q", "--bare", str(world.home / "bare.git"))
    victims = [plain / ".git", world.home / "apart.git", world.home / "bare.git", submodule(world, "a/b")[1]]
    for victim in victims:
        secret = victim / "secret"
        secret.write_text(world.token + "\n")
        for lay in (lambda git, to: git.symlink_to(to), lambda git, to: git.write_text(f"gitdir: {to}\n")):
            lay(tree / ".git", victim)
            world.run("touch", victim / "planted", cwd=tree, program=inner)
            if (victim / "planted").exists():
                fault(f"it wrote in {victim}")
            world.run("unreadable", secret, cwd=tree, program=inner).expect()
            (tree / ".git").unlink()


@case("F40 a directory around the tree cannot be passed off as git's")
def pointer_around(world):
    tree = world.home / "tree"
    (tree / "below").mkdir(parents=True)
    inner = actor(world, tree / "below")
    for name in ("refs", "objects"):
        (tree / name).mkdir()
    (tree / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / "secret").write_text(world.token + "\n")
    (tree / "config").write_text("[core]\n\tworktree = below\n")
    (tree / "below/.git").write_text("gitdir: ..\n")
    run = world.run("touch", tree / "planted", cwd=tree / "below", program=inner)
    if (tree / "planted").exists():
        fault("it wrote around its tree", run)
    world.run("unreadable", tree / "secret", cwd=tree / "below", program=inner).expect()


@case("F40 a .git file that points outside grants no writing there")
def pointer_write(world):
    tree = world.home / "tree"
    tree.mkdir()
    inner = tree / world.mark
    inner.write_bytes(world.act.read_bytes())
    inner.chmod(0o755)
    world.run("rewrite", ".git", f"gitdir: {world.outside}\n", cwd=tree, program=str(inner))
    run = world.run("touch", world.outside / "planted", cwd=tree, program=str(inner))
    if (world.outside / "planted").exists():
        fault("it wrote outside, in the second run", run)


@case("F40 a .git file that points inside, and from there outside, grants no reading there")
def pointer_read(world):
    tree = world.home / "tree"
    tree.mkdir()
    inner = tree / world.mark
    inner.write_bytes(world.act.read_bytes())
    inner.chmod(0o755)
    world.run("supplant", "fake", "HEAD", cwd=tree, program=str(inner))
    world.run("rewrite", "fake/commondir", f"{world.outside}\n", cwd=tree, program=str(inner))
    world.run("rewrite", ".git", "gitdir: fake\n", cwd=tree, program=str(inner))
    world.run("unreadable", world.secret, cwd=tree, program=str(inner)).expect()


@case("F38 what writ keeps for itself cannot be changed from inside")
def state(world):
    home = world.user_home
    inner = home / world.mark
    inner.write_bytes(world.act.read_bytes())
    inner.chmod(0o755)
    (home / "deny").mkdir()
    (home / "out").write_text("x")
    keep = ["--deny", home / "deny", "--output-file", "out"]
    world.run("exit", 0, options=keep, cwd=home, program=str(inner)).expect()
    kept = [path for path in home.rglob("*") if path.is_file() and
            path not in (inner, home / "out", home / "secret")]
    if not kept:
        return
    before = {path: path.read_bytes() for path in kept}
    run = world.run("plant", *kept, options=keep, cwd=home, program=str(inner))
    grows = [path for path in kept if path.name.startswith("ledger.db")  # by this run, from outside
             or path.parent.name == "written"]
    changed = [str(path) for path in kept if path not in grows and
               (not path.exists() or path.read_bytes() != before[path])]
    changed += [str(path) for path in grows if b"#planted" in path.read_bytes()]
    if changed or not grows:
        fault(f"changed: {changed}", run)
