"""The courier's sandbox: https, 4 ms for the slots of a postcode. Prints its port and its certificate, and ends when its input does."""
import asyncio
import os
import socket
import ssl
import subprocess
import sys
import tempfile

WORKERS = 3
DELAY = 0.004
BODY = b'{"from":"2025-11-24T14:00","until":"2025-11-24T16:00","van":"B-7"}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


async def serve(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(DELAY)
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def work(listener, tls):
    await asyncio.start_server(serve, sock=listener, ssl=tls, backlog=512)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


with tempfile.TemporaryDirectory() as folder:
    key, certificate = folder + "/key.pem", folder + "/certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with open(certificate) as file:
        pem = file.read().strip()

listener = socket.create_server(("127.0.0.1", 0), backlog=512)
listener.setblocking(False)
for _ in range(WORKERS - 1):
    if os.fork() == 0:
        break
else:
    print(listener.getsockname()[1], pem, "", sep="\n", flush=True)
asyncio.run(work(listener, context))
