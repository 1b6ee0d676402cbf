#!/usr/bin/env python3
"""owners: whose a file is after a commit and after its undo, and that nobody may do more with it than before.

usage: owners.py FORGE WRIT      prints TAP; run by root, which plays two users
"""
import os
import shutil
import struct
import subprocess
import sys

import forged
import tap
from forged import done, hold

CASES = []
case = forged.collector(CASES)
US, THEM, SHARED = 12345, 12346, 12347
ACCESS = "system.posix_acl_access"


class Ours:
    """The ground as a user has it who is in two groups."""

    def __init__(self, g):
        if os.geteuid() != 0:
            raise tap.Skip("only root can play two users")
        self.g = g
        self.place = g.root.parent
        shutil.copy2(tap.WRIT, self.place / "writ")
        os.chmod(self.place / "writ", 0o755)

    def forge(self, before, after):
        self.g.forge(before, after)
        for at, directories, files in os.walk(self.place):
            for name in [".", *directories, *files]:
                os.chown(os.path.join(at, name), US, US, follow_symlinks=False)

    def writ(self, *args):
        run = subprocess.run(["setpriv", "--reuid", str(US), "--regid", str(US), "--groups", f"{US},{SHARED}",
                              self.place / "writ", "commit", self.g.run, *args], cwd=self.g.root, timeout=60,
                             env=self.g.environment(), capture_output=True, stdin=subprocess.DEVNULL)
        return forged.Answer(run.returncode, {}, (run.stdout + run.stderr).decode())

    def commit(self):
        answer = self.writ()
        hold(answer.status == 0, answer)
        return answer

    def undo(self):
        answer = self.writ("--undo")
        hold(answer.status == 0, answer)
        return answer


def stands(path, owner, group, mode):
    st = path.stat()
    is_ = (st.st_uid, st.st_gid, oct(st.st_mode & 0o7777))
    if is_ != (owner, group, oct(mode)):
        raise AssertionError(f"{path.name} is {is_}, expected {(owner, group, oct(mode))}")


def access(*entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, perm, who) for tag, perm, who in entries)


NONE = 0xffffffff
LISTED = access((1, 6, NONE), (2, 6, US), (4, 0, NONE), (16, 6, NONE), (32, 0, NONE))  # st_mode says 0660


def set_access(path):
    try:
        os.setxattr(path, ACCESS, LISTED)
    except OSError as error:
        raise tap.Skip("the file system has no access lists") from error


@case
def a_setuid_file_of_another_does_not_become_ours(g):
    ours = Ours(g)
    ours.forge({"y": ("theirs\n", 0o4755)}, {"y": None})
    os.chown(g.root / "y", THEM, THEM)
    os.chmod(g.root / "y", 0o4755)
    ours.commit()
    hold(not (g.root / "y").exists(), g.commit("--dry-run"))
    answer = ours.undo()
    stands(g.root / "y", US, US, 0o755)
    hold("could not be given back" in answer.err and "/y" in answer.err, answer)


@case
def our_own_setuid_file_comes_back_as_it_was(g):
    ours = Ours(g)
    ours.forge({"y": ("ours\n", 0o4755)}, {"y": None})
    os.chmod(g.root / "y", 0o4755)
    ours.commit()
    answer = ours.undo()
    stands(g.root / "y", US, US, 0o4755)
    hold("given back" not in answer.err, answer)


@case
def a_group_stays(g):
    ours = Ours(g)
    names = {"changed": ("A\n", 0o660), "gone": None, "becomes": forged.Link("a"), "dir": None, "dir/in": None}
    ours.forge({"changed": ("a\n", 0o660), "gone": ("g\n", 0o660), "becomes": ("b\n", 0o660),
                "dir": ("directory", 0o770), "dir/in": ("i\n", 0o660)}, names)
    for name in names:
        os.chown(g.root / name, US, SHARED)
    ours.commit()
    stands(g.root / "changed", US, SHARED, 0o660)
    ours.undo()
    for name in names:
        stands(g.root / name, US, SHARED, 0o770 if name == "dir" else 0o660)


@case
def a_group_that_is_not_ours_takes_its_permissions_along(g):
    ours = Ours(g)
    names = ["changed", "gone", "open"]
    ours.forge({"changed": ("a\n", 0o664), "gone": ("g\n", 0o664), "open": ("o\n", 0o644)},
               {"changed": ("A\n", 0o664), "gone": None, "open": ("O\n", 0o644)})
    for name in names:
        os.chown(g.root / name, THEM, THEM)
    answer = ours.commit()
    hold("/changed" in answer.err and "/open" not in answer.err, answer)
    stands(g.root / "changed", US, US, 0o644)
    stands(g.root / "open", US, US, 0o644)
    answer = ours.undo()
    hold("/changed" in answer.err and "/gone" in answer.err, answer)
    stands(g.root / "changed", US, US, 0o644)
    stands(g.root / "gone", US, US, 0o644)
    ours.commit()  # what is fewer by our own hand is nobody's change
    stands(g.root / "changed", US, US, 0o644)
    ours.undo()
    stands(g.root / "gone", US, US, 0o644)


@case
def what_takes_the_place_of_another_kind_is_all_its_own(g):
    ours = Ours(g)
    ours.forge({"f": ("f\n", 0o664)}, {"f": ("directory", 0o770), "f/in": ("i\n", 0o660)})
    os.chown(g.root / "f", THEM, THEM)
    answer = ours.commit()
    stands(g.root / "f", US, US, 0o770)
    hold("given back" not in answer.err, answer)
    ours.undo()
    stands(g.root / "f", US, US, 0o644)


@case
def an_access_list_stays(g):
    ours = Ours(g)
    ours.forge({"changed": ("a\n", 0o660), "gone": ("g\n", 0o660)}, {"changed": ("A\n", 0o660), "gone": None})
    for name in ("changed", "gone"):
        set_access(g.root / name)
    ours.commit()
    hold(os.getxattr(g.root / "changed", ACCESS) == LISTED, g.commit("--dry-run"))
    ours.undo()
    for name in ("changed", "gone"):
        hold(os.getxattr(g.root / name, ACCESS) == LISTED, g.commit("--dry-run"))
        stands(g.root / name, US, US, 0o660)


@case
def what_root_brings_back_is_whose_it_was(g):
    if os.geteuid() != 0:
        raise tap.Skip("only root can give files away")
    g.forge({"secret": ("s\n", 0o600), "su": ("s\n", 0o755)}, {"secret": None, "su": None})
    os.chown(g.root, THEM, THEM)
    os.chown(g.root / "su", THEM, SHARED)
    done(g.commit())
    done(g.undo())
    stands(g.root / "secret", 0, 0, 0o600)
    stands(g.root / "su", THEM, SHARED, 0o755)


@case
def a_journal_gives_nothing_to_nobody(g):
    g.forge({"a": "a\n"}, {"a": "A\n"})
    (g.state / "changes").mkdir()
    journal = g.state / "changes" / f"{g.run}.json"
    for was in ('[0,0,0]', '[1,0,0,""]', '[0,-1,0,""]', '[0,4294967295,0,""]', '[0,0,"0",""]', '[0,0,0,"?"]', '7'):
        journal.write_text('{"stage":"begun","rows":[0],"were":[%s]}' % was)
        answer = g.commit()
        hold(answer.status == 69, answer)
        g.has(g.before)


if __name__ == "__main__":
    sys.exit(forged.main(CASES))
