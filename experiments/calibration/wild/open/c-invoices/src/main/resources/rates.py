# Stands for the rates service of the bank: answers after 15 ms, ends with the process that started it.
import asyncio, os, sys, threading

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\n1.0842"


class Rates(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, self.received = self.received.split(b"\r\n\r\n", 1)
            asyncio.get_running_loop().call_later(0.015, self.answer)

    def answer(self):
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


def until_parent_ends():
    sys.stdin.read()
    os._exit(0)


async def main():
    server = await asyncio.get_running_loop().create_server(Rates, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


threading.Thread(target=until_parent_ends, daemon=True).start()
asyncio.run(main())
