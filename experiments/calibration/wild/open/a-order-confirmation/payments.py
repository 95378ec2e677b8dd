"""The sandbox of the payment provider: it takes 35 ms for a charge."""
import asyncio
import sys

DELAY = 0.035
BODY = b'{"receipt":"R-2026-0001","state":"charged"}'
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
