import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { setImmediate as nextRound } from "node:timers/promises";
import { joinWrites } from "../../src/mcp/transports/http/server";

test("what is written in one moment is sent together, and what comes later by itself", async () => {
  const sent: string[][] = [];
  const stream = joinWrites(
    new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        sent.push([text]);
        done();
      },
      writev: (texts, done) => {
        sent.push(texts.map(({ chunk }) => chunk as string));
        done();
      },
    }),
  );
  stream.write("a");
  await Promise.resolve();
  stream.write("b");
  expect(sent).toEqual([]);
  await nextRound();
  stream.write("c");
  await nextRound();
  expect(sent).toEqual([["a", "b"], ["c"]]);
});

test("a response of HTTP is whole, also when it ends in the moment of its last write", async () => {
  const answer = (response: ServerResponse) => {
    response.write("log ");
    response.end("answer");
  };
  const server = createServer((_request, response) => answer(joinWrites(response))).listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => server.once("listening", resolve));
    const text = await new Promise<string>((resolve, reject) => {
      get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async (response) => {
        let read = "";
        for await (const chunk of response) read += String(chunk);
        resolve(read);
      }).once("error", reject);
    });
    expect(text).toBe("log answer");
    await nextRound();
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
