"""Describes the machine, which the scripts print beside their figures."""
import os, platform


def machine():
    """Returns a line such as `Intel Xeon ..., 2 CPUs, Linux 6.18`."""
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} CPUs, Linux {platform.release()}"
