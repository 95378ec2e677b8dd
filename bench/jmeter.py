"""Fetches JMeter 5.6.3 from Maven, for benches."""
import os, shutil, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSION = "5.6.3"
HOME = os.path.join(ROOT, "target", "tmp", f"jmeter-http-{VERSION}")
MODULES = ["core", "config", "http", "java", "functions", "components"]
# JMeter's own script gives it 1 GB of heap and the G1 collector.
JVM = ["-Xms1g", "-Xmx1g", "-XX:MaxMetaspaceSize=256m", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=100"]


def maven():
    return os.environ.get("PRONY_MVN", "mvn")


def fetch(home=HOME):
    """Fetches JMeter once: its jars and their libraries into lib/, and its settings into bin/."""
    if os.path.isdir(os.path.join(home, "bin")):
        return home
    os.makedirs(home, exist_ok=True)
    of = lambda name: f"<dependency><groupId>org.apache.jmeter</groupId><artifactId>ApacheJMeter_{name}</artifactId><version>{VERSION}</version></dependency>"
    with open(os.path.join(home, "pom.xml"), "w") as file:
        file.write("<project><modelVersion>4.0.0</modelVersion><groupId>prony</groupId><artifactId>jmeter</artifactId><version>1</version>"
                   f"<packaging>pom</packaging><dependencies>{''.join(map(of, MODULES))}</dependencies></project>")
    copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
    subprocess.run([maven(), "-q", "-B", copy, "-DoutputDirectory=lib"], cwd=home, check=True, timeout=600)
    subprocess.run(["jar", "xf", f"lib/ApacheJMeter_config-{VERSION}.jar", "bin"], cwd=home, check=True)
    return home


def java(home, *options):
    """The beginning of a command that runs a class with JMeter on its class path."""
    return [shutil.which("java") or "java", *options, "-cp", os.path.join(home, "lib", "*"), "-Djmeter.home=" + home]


def command():
    """The command that starts JMeter, or None where neither it nor Maven is there."""
    if shutil.which("jmeter"):
        return ["jmeter"]
    if not os.path.isdir(os.path.join(HOME, "bin")) and not shutil.which(maven()):
        return None
    return [*java(fetch(), *JVM), "org.apache.jmeter.NewDriver", "-j", os.path.join(HOME, "jmeter.log")]
