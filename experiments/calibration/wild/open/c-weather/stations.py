"""The stations' readings, as the national weather service publishes them."""
import asyncio
import json
import sys

BODY = json.dumps({"station": "Säntis", "celsius": -3.5, "wind": 41, "gusts": 67, "snow": 112}).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


class Stations(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, self.received = self.received.split(b"\r\n\r\n", 1)
            asyncio.get_running_loop().call_later(0.005, self.answer)

    def answer(self):
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


async def main(address):
    host, port = address.rsplit(":", 1)
    server = await asyncio.get_running_loop().create_server(Stations, host, int(port), backlog=512)
    async with server:
        await server.serve_forever()


asyncio.run(main(sys.argv[1]))
