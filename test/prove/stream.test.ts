import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EventReader } from "../../prove/stream/event-reader";
import { readerFaults } from "../../prove/stream/reader-faults";
import { spokenAnswer } from "../../prove/stream/talker";
import type { StreamEntry } from "../../src/core/history/stream/entry";

/** What `navigator prove stream` would say of readers that heard something else. */
test.each<[string, Parameters<typeof readerFaults>[0], RegExp[]]>([
  ["all of it", { text: "1.0 1.1 1.2 ", state: "whole", twice: 0 }, []],
  [
    "not all of it",
    { text: "1.0 1.2 ", state: "whole", twice: 0 },
    [/2 tokens of 3, and token 1 is "1.2" instead of "1.1"/],
  ],
  ["a piece of another attempt", { text: "1.0 2.1 1.2 ", state: "whole", twice: 0 }, [/token 1 is "2.1"/]],
  ["a piece twice", { text: "1.0 1.1 1.2 ", state: "whole", twice: 1 }, [/1 pieces came twice/]],
  ["no end", { text: "1.0 1.1 1.2 ", state: "open", twice: 0 }, [/ended as "open"/]],
])("a reader who heard %s", (_, received, faults) =>
  expect(readerFaults(received, spokenAnswer(1, 3))).toEqual(faults.map((fault) => expect.stringMatching(fault))),
);

const begin: StreamEntry = {
  ...{ type: "begin", attempt_id: "a", workflow_id: "agent/x", run_id: "r", agent: null, model: "m" },
  ...{ turn: 1, call: 1, attempt: 1, at: 0 },
};
const text = (said: string): StreamEntry => ({ type: "text", attempt_id: "a", text: said });

test("a reader that is cut off goes on behind the last event, and notices what it is told again", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers["last-event-id"] as string | undefined);
    const tell = (event: string, data: unknown, id: string) =>
      (response as ServerResponse).write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
    if (asked.length === 1) {
      tell("text", [begin, text("One ")], "1");
      return;
    }
    tell("text", [text("One "), text("two.")], "2");
    tell("text", [{ type: "end", attempt_id: "a", length: 8 }], "3");
    tell("over", {}, "3");
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reader = new EventReader(
    { url, token: "t" },
    () => asked.length === 1 && reader.received.pieces === 1 && reader.drop(),
  );
  await reader.read();
  server.closeAllConnections();
  server.close();
  expect(asked).toEqual([undefined, "1"]);
  expect(reader.received).toEqual({ pieces: 3, twice: 1, connections: 2 });
});
