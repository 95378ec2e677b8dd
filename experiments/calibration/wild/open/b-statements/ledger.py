#!/usr/bin/env python3
"""The ledger: GET /accounts/NUMBER answers the bookings of an account.

A stand-in for the mainframe, which takes some milliseconds for every account (--delay).
"""
import argparse
import asyncio


class Ledger(asyncio.Protocol):
    delay = 0.015

    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, self.received = self.received.split(b"\r\n\r\n", 1)
            account = head.split(b" ", 2)[1].rsplit(b"/", 1)[-1]
            asyncio.get_running_loop().call_later(self.delay, self.answer, account)

    def answer(self, account):
        lines = b"\n".join(b"%d;%d;Direct debit %d" % (1731628800 + 86400 * i, -1250 - 17 * i, i) for i in range(12))
        body = b"account %s\n%s\n" % (account, lines)
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


async def main():
    options = argparse.ArgumentParser()
    options.add_argument("--listen", default="127.0.0.1:7070")
    options.add_argument("--delay", type=float, default=0.015)
    chosen = options.parse_args()
    Ledger.delay = chosen.delay
    host, port = chosen.listen.rsplit(":", 1)
    server = await asyncio.get_running_loop().create_server(Ledger, host, int(port), backlog=1024)
    await server.serve_forever()


asyncio.run(main())
