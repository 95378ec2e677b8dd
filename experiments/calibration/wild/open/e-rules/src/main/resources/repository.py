"""The repository of rules: GET answers the class of a rule after 16 ms. The class is given in hexadecimal digits."""
import asyncio
import os
import sys

BODY = bytes.fromhex(sys.argv[1])
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/java-vm\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


async def serve(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(0.016)
            writer.write(ANSWER)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
