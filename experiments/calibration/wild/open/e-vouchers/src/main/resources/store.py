"""A stand-in of the store of vouchers: a message is its length (4 bytes) and its body, and so is the answer."""
import asyncio
import os
import sys

ANSWER = b"valid;15;EUR"


async def session(reader, writer):
    try:
        while True:
            length = int.from_bytes(await reader.readexactly(4), "big")
            await reader.readexactly(length)
            writer.write(len(ANSWER).to_bytes(4, "big") + ANSWER)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    server = await asyncio.start_server(session, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
