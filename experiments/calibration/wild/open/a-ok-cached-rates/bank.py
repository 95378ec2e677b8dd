"""The central bank of the test environment: it needs 400 ms for a rate."""
import asyncio
import sys

DELAY = 0.4
BODY = b'{"value":1.0874,"date":"2026-11-23"}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


async def serve(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(DELAY)
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    host, port = sys.argv[1], int(sys.argv[2])
    server = await asyncio.start_server(serve, host, port, backlog=512)
    async with server:
        await server.serve_forever()


asyncio.run(main())
