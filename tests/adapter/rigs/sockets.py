"""sockets.py: an MCP server at a WebSocket on loopback, which answers a call with the bytes that it is told."""
import base64
import contextlib
import hashlib
import json
import socketserver
import threading

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
ANSWERS = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}},
           "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}}


def frame(text, first=0x81):
    return bytes([first, len(text)] if len(text) < 126 else [first, 126, len(text) >> 8, len(text) & 255]) + text


class Socket(socketserver.StreamRequestHandler):
    def handle(self):
        head = {}
        while (line := self.rfile.readline().strip()):
            name, _, value = line.partition(b": ")
            head[name] = value
        if not head:
            return
        if self.server.status != 101:
            self.wfile.write(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % self.server.status)
            return
        proof = base64.b64encode(hashlib.sha1(head[b"Sec-WebSocket-Key"] + MAGIC).digest())
        self.wfile.write(b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: mcp\r\n"
                         b"Sec-WebSocket-Accept: " + (proof if self.server.proof else b"none") + b"\r\n\r\n")
        with contextlib.suppress(OSError):
            while self.hear():
                pass

    def hear(self):
        """One message; false: it is over."""
        head = self.rfile.read(2)
        if len(head) < 2 or head[0] & 15 != 1:
            return False
        n = head[1] & 127
        n = int.from_bytes(self.rfile.read(2), "big") if n == 126 else n
        mask = self.rfile.read(4)
        asked = json.loads(bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.rfile.read(n))))
        if asked.get("method") == "tools/call":
            self.wfile.write(self.server.bytes)
            return self.server.bytes != b""
        if "id" in asked:
            found = ANSWERS.get(asked["method"])
            said = {"result": found} if found else {"error": {"code": -32601, "message": "what"}}
            self.wfile.write(frame(json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | said).encode()))
        return True


@contextlib.contextmanager
def socket(answer=b"", proof=True, status=101):
    """`answer`: what a call gets, as bytes; none: it hangs up. `proof`: does it prove that it has read the key?
    `status`: other than 101 opens nothing."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Socket) as server:
        server.daemon_threads, server.bytes, server.proof, server.status = True, answer, proof, status
        server.url = f"ws://127.0.0.1:{server.server_address[1]}/mcp"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
