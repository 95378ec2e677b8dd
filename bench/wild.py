#!/usr/bin/env python3
"""Reads and writes the cases of a half, which are kept in one text: wild/open.txt for `bench/faults`, the files
wild/incidents-*.txt for `bench/incidents`. A line `==== PATH` begins each file, and `==== PATH *` one that can be executed; what follows is the
file as it is.

usage: bench/wild.py unpack [HALF] FOLDER   writes the files of all cases into the folder, and leaves those that are as they should be
       bench/wild.py pack [HALF] FOLDER     keeps what is in the folder in the place of what was kept, without what Maven and Python make
       bench/wild.py list [HALF]            prints the names of the cases

To add or change a case: unpack into a folder, edit there (a folder of its own with case.toml and the sources), and pack it.
"""
import os, sys

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "experiments", "calibration", "wild")
BEGIN = "==== "
MADE = {"target", "__pycache__", ".git", ".gitignore"}


def kept(half):
    """Returns the files of all cases by path: the text, and whether it can be executed."""
    files, path = {}, None
    with open(os.path.join(HERE, f"{half}.txt"), newline="\n") as text:
        for line in text:
            if line.startswith(BEGIN):
                path, _, mark = line[len(BEGIN):].rstrip("\n").partition(" ")
                files[path] = ([], mark == "*")
            else:
                files[path][0].append(line)
    return {path: ("".join(lines), executable) for path, (lines, executable) in files.items()}


def keep(half, files):
    """Writes the files into the text of the half."""
    with open(os.path.join(HERE, f"{half}.txt"), "w", newline="\n") as out:
        for path, (text, executable) in sorted(files.items()):
            if " " in path or not text.endswith("\n") or text.startswith(BEGIN) or f"\n{BEGIN}" in text:
                sys.exit(f"{path} cannot be kept: its path has a space, its last line does not end, or a line begins with `{BEGIN}`")
            out.write(f"{BEGIN}{path}{' *' if executable else ''}\n{text}")


def found(folder):
    """Returns the files of the folder."""
    files = {}
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in MADE]
        for name in sorted(set(names) - MADE):
            path = os.path.join(at, name)
            with open(path, newline="\n") as file:
                files[os.path.relpath(path, folder)] = (file.read(), os.access(path, os.X_OK))
    return files


def unpack(half, folder):
    """Writes the files of all cases; returns the paths of their experiments by name. A file that is the same keeps its time."""
    there = {}
    for path, (text, executable) in kept(half).items():
        file = os.path.join(folder, path)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        if not os.path.exists(file) or open(file, newline="\n").read() != text:
            with open(file, "w", newline="\n") as out:
                out.write(text)
        os.chmod(file, 0o755 if executable else 0o644)
        if path.endswith("/case.toml"):
            there[path.removesuffix("/case.toml")] = file
    return there


def main():
    act, *rest = sys.argv[1:] or [""]
    if act == "list" and len(rest) < 2:
        half = rest[0] if rest else "open"
        print("\n".join(path.removesuffix("/case.toml") for path in kept(half) if path.endswith("/case.toml")))
        return
    if act not in ("unpack", "pack") or len(rest) not in (1, 2):
        sys.exit(__doc__)
    half, folder = rest if len(rest) == 2 else ("open", rest[0])
    if act == "unpack":
        print(f"{len(unpack(half, folder))} cases in {folder}")
    else:
        keep(half, found(folder))


if __name__ == "__main__":
    main()
