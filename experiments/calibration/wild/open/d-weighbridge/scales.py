"""The daemon of the scales: weighs 25 ms, and any number of scales at the same time."""
import socket
import sys
import threading
import time


def serve(connection):
    with connection:
        if connection.recv(32):
            time.sleep(0.025)
            connection.send(b"38460")


listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind("\0weighbridge-" + sys.argv[1])
listener.listen(512)
print("scales ready", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
