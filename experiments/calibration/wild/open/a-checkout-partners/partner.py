"""A partner of the test environment: HOST PORT NAME"""
import asyncio
import sys

PARTNERS = {
    "tax": (0.024, b'{"percent":19.0}'),
    "shipping": (0.031, b'{"cents":490,"days":2}'),
    "fraud": (0.027, b'{"risk":"low"}'),
}
DELAY, BODY = PARTNERS[sys.argv[3]]
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
