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


def at_highest_load(arm):
    """Returns the diagnoses at the load with the most users, where what limits an arm shows, as the report does."""
    users = lambda one: one["level"].get("users") or 0
    all_of_arm = arm.get("diagnoses") or []
    most = max(map(users, all_of_arm), default=0)
    return [one for one in all_of_arm if users(one) == most]


def first(arm, causes=()):
    """Returns the cause that prony names first, and its sentence. What prony calls expected (a load that asks as fast as it is answered
    fills the CPU) is no cause, unless it is one of `causes`."""
    diagnoses = [one for one in at_highest_load(arm) if not one.get("expected") or one["cause"] in causes]
    return (diagnoses[0]["cause"], diagnoses[0]["says"]) if diagnoses else (NOTHING, "")
