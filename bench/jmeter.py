"""Fetches JMeter 5.6.3 from Maven, for benches on machines without the command `jmeter`."""
import glob, os, shutil, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSION = "5.6.3"
MODULES = ["ApacheJMeter", "ApacheJMeter_core", "ApacheJMeter_config", "ApacheJMeter_http", "ApacheJMeter_java", "ApacheJMeter_functions",
           "ApacheJMeter_components"]


def command():
    """The command that starts JMeter, or None where neither it nor Maven is there."""
    if shutil.which("jmeter"):
        return ["jmeter"]
    home = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), f"jmeter-{VERSION}")
    if not os.path.isfile(os.path.join(home, "bin", "ApacheJMeter.jar")):
        if not shutil.which(os.environ.get("PRONY_MVN", "mvn")):
            return None
        assemble(home)
    # JMeter's own script gives it 1 GB of heap and the G1 collector.
    heap = ["-Xms1g", "-Xmx1g", "-XX:MaxMetaspaceSize=256m", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=100"]
    return ["java", *heap, "-jar", os.path.join(home, "bin", "ApacheJMeter.jar"), "-j", os.path.join(home, "jmeter.log")]


def assemble(home):
    """Lays the jars out as in the archive of a release: the start jar in bin, JMeter's own in lib/ext, all others in lib."""
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(os.path.join(home, "lib", "ext"))
    of = lambda name: f"<dependency><groupId>org.apache.jmeter</groupId><artifactId>{name}</artifactId><version>{VERSION}</version></dependency>"
    with open(os.path.join(home, "pom.xml"), "w") as file:
        file.write("<project><modelVersion>4.0.0</modelVersion><groupId>prony</groupId><artifactId>jmeter</artifactId><version>1</version>"
                   f"<packaging>pom</packaging><dependencies>{''.join(map(of, MODULES))}</dependencies></project>")
    copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
    subprocess.run([os.environ.get("PRONY_MVN", "mvn"), "-q", "-B", copy, "-DoutputDirectory=lib"], cwd=home, check=True, timeout=600)
    subprocess.run(["jar", "xf", f"lib/ApacheJMeter_config-{VERSION}.jar", "bin"], cwd=home, check=True)
    for own in glob.glob(os.path.join(home, "lib", "ApacheJMeter_*.jar")):
        shutil.move(own, os.path.join(home, "lib", "ext"))
    shutil.move(os.path.join(home, "lib", f"ApacheJMeter-{VERSION}.jar"), os.path.join(home, "bin", "ApacheJMeter.jar"))
