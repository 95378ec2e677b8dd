"""Register of vehicles for a developer's machine. One line is a plate, the answer is one line after 30 ms."""
import asyncio
import os
import sys


async def session(reader, writer):
    while line := await reader.readline():
        await asyncio.sleep(0.03)
        writer.write(b"OK " + line.strip() + b" zone 4 until 2027-03-31\n")
    writer.close()


async def main():
    server = await asyncio.start_server(session, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
