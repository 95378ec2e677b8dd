"""A neighbour on the machine: bursts of a busy loop, as another container or virtual machine would cause them."""
import contextlib, multiprocessing, os, random, signal, time

ON, OFF = 0.7, 1.2  # mean length in seconds of a burst, and of the pause after it; both are exponentially distributed


def burn(seed):
    draw = random.Random(seed)
    parent = os.getppid()
    while os.getppid() == parent:  # ends by itself if the script is killed
        until = time.monotonic() + draw.expovariate(1 / ON)
        while time.monotonic() < until:
            pass
        time.sleep(draw.expovariate(1 / OFF))


@contextlib.contextmanager
def neighbour(wanted, seed=1):
    """Runs a neighbour while the block lasts, if one is wanted."""
    if not wanted:
        yield
        return
    process = multiprocessing.Process(target=burn, args=(seed,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()
