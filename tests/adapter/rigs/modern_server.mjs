// modern_server.mjs: a server of both eras by SDK 2.4, over a pipe or over HTTP on loopback.
//
// usage: modern_server.mjs stdio | http PORT
//
// Tools: add (a + b, structured), boom (fails), slow (answers after ms, so that calls overtake each other).
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import http from 'node:http';

const object = (properties, required = Object.keys(properties)) =>
  fromJsonSchema({ type: 'object', properties, required });
const number = { type: 'number' };

function make() {
  const server = new McpServer({ name: 'modern', version: '1.0.0' });

  server.registerTool('add', {
    description: 'Adds two numbers.', annotations: { readOnlyHint: true },
    inputSchema: object({ a: number, b: number }), outputSchema: object({ sum: number }),
  }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }));
  server.registerTool('boom', { description: 'Fails.', inputSchema: object({}) }, () => {
    throw new Error('boom');
  });
  server.registerTool('slow', {
    description: 'Answers after some time.', inputSchema: object({ ms: { type: 'integer', minimum: 0 } }, []),
  }, async ({ ms = 0 }) => {
    await new Promise(done => setTimeout(done, ms));
    return { content: [{ type: 'text', text: `after ${ms} ms` }] };
  });
  return server;
}

function serveHttp(port) {
  const handler = createMcpHandler(make);

  http.createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const answer = await handler.fetch(new Request(`http://127.0.0.1:${port}${request.url}`, {
      method: request.method, headers: request.headers, body: pieces.length ? Buffer.concat(pieces) : undefined,
    }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const piece of answer.body) response.write(piece);
    response.end();
  }).listen(port, '127.0.0.1');
}

const [, , how, port] = process.argv;
if (how === 'http') serveHttp(Number(port));
else serveStdio(make);
