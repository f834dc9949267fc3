# SPDX-License-Identifier: MIT OR Apache-2.0
"""Installs Python packages whose requirements, with hashes, are given as a text. Prints their folder.

    packages.py TARGET NAME REQUIREMENTS [--installed]

The folder is TARGET/NAME. A `{}` in the name stands for a digest of the requirements, so that a changed requirement
reaches a target folder that was used before. With --installed, nothing is installed; the line is empty if the folder
does not exist. To update a file of requirements: `uv pip compile --universal --generate-hashes`.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys

# Settings of pip that say where packages come from and how they are fetched. All others could change what is installed
# or where, or have no meaning together with the options below.
KEPT = """
CACHE_DIR CERT CLIENT_CERT CONFIG_FILE DEFAULT_TIMEOUT EXTRA_INDEX_URL FIND_LINKS INDEX_URL KEYRING_PROVIDER
NO_CACHE_DIR NO_INDEX PROXY RESUME_RETRIES RETRIES TIMEOUT TRUSTED_HOST USE_DEPRECATED USE_FEATURE
""".split()
# The same settings can be in a file of pip, which is kept for the sake of the index; options precede it.
OPTIONS = "--no-input --no-user --prefix= --root=/ --no-deps --require-hashes --only-binary=:all: --upgrade".split()
# These have no option that switches them off.
OFF = {"PIP_REQUIRE_VIRTUALENV": "0", "PIP_DRY_RUN": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def install(folder, requirements):
    """Installs into a folder of its own, which is renamed when it is complete."""
    partial = "{}.partial-{}".format(folder, os.getpid())
    kept = {"PIP_" + name for name in KEPT}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_") or name in kept}
    shutil.rmtree(partial, ignore_errors=True)  # of a killed process that had the same number
    try:
        os.makedirs(partial)
        listed = os.path.join(partial, "requirements.txt")
        with open(listed, "w") as file:
            file.write(requirements)
        command = [sys.executable, "-E", "-m", "pip", "install", "--quiet", *OPTIONS]
        done = subprocess.run(
            [*command, "--target", partial, "-r", listed],
            cwd=partial, env={**environment, **OFF}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        said = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
        if done.returncode < 0:
            said = ["it was ended by {}".format(signal.Signals(-done.returncode).name)]
        elif not done.returncode and not any(name.endswith(".dist-info") for name in os.listdir(partial)):
            said = ["it reports success but installed nothing; see `python3 -m pip config list`"]
        elif not done.returncode:
            return os.rename(partial, folder)
        errors = [line for line in said if line.startswith("ERROR")] or said or ["it gives no reason"]
        names = " ".join(word for word in requirements.split() if "==" in word and word[0].isalpha())
        version = ".".join(map(str, sys.version_info[:3]))
        sys.exit("pip of Python {} cannot install {}: {}".format(version, names, errors[-1].strip()))
    except OSError as error:
        # Another process may have been faster; the folder that it installed is equivalent.
        if not os.path.isdir(folder):
            sys.exit("{}: {}".format(error.filename or folder, error.strerror))
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def folder_of(target, name, requirements, *only):
    """The folder of the packages; the arguments are those of the script."""
    requirements = requirements.rstrip("\n") + "\n"  # a shell drops the last line feed
    digest = hashlib.sha256(requirements.encode()).hexdigest()[:8]
    folder = os.path.join(os.path.abspath(target), name.replace("{}", digest))
    if not os.path.isdir(folder):
        if only:
            return ""
        install(folder, requirements)
    return folder


if __name__ == "__main__":
    print(folder_of(*sys.argv[1:]))
