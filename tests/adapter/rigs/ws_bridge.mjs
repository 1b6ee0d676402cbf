// ws_bridge.mjs: a WebSocket (subprotocol mcp) in front of a server that speaks over a pipe.
//
// usage: ws_bridge.mjs PORT COMMAND ARGS..     one server a connection; one message a text frame
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';

const [, , port, ...words] = process.argv;
const server = new WebSocketServer({ host: '127.0.0.1', port: Number(port),
  handleProtocols: offered => (offered.has('mcp') ? 'mcp' : false) });

server.on('connection', socket => {
  const child = spawn(words[0], words.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });

  createInterface({ input: child.stdout }).on('line', line => socket.send(line));
  socket.on('message', text => child.stdin.write(`${text}\n`));
  socket.on('close', () => child.stdin.end());
  child.on('exit', () => socket.close());
});
