"""Builds and runs cases with known faults, and reads what prony names first."""
import glob, json, os, subprocess

NOTHING = "nothing"


def build(path):
    """Builds the application of a case, where it has one that is not built yet."""
    folder = os.path.dirname(path)
    if os.path.exists(f"{folder}/pom.xml") and not glob.glob(f"{folder}/target/*.[jw]ar"):
        subprocess.run(["mvn", "-q", "-B", "-DskipTests", "package"], cwd=folder, check=True)


def run(prony, path, out):
    """Runs a file; returns the report, or None and why there is none."""
    command = [prony, "run", path, "--quick", "--out", out]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return json.load(open(f"{out}/report.json")), ended.returncode
    except FileNotFoundError:
        return None, next((line for line in ended.stderr.splitlines() if line.startswith("error")), "no report")


def first(arm, causes=()):
    """Returns the cause that prony names first, and its sentence. What prony calls expected (a load that asks as fast as it is answered
    fills the CPU) is no cause, unless it is one of `causes`."""
    diagnoses = [one for one in arm.get("diagnoses") or [] if not one.get("expected") or one["cause"] in causes]
    return (diagnoses[0]["cause"], diagnoses[0]["says"]) if diagnoses else (NOTHING, "")
