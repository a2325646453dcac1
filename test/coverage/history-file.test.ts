import { fromFile, toFile } from "../support/history-file";
import type { ExportedHistory } from "../support/recorded";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const payload = (text: string, type?: string) => ({
  metadata: { encoding: base64("json/plain"), ...(type === undefined ? {} : { type: base64(type) }) },
  data: base64(text),
});
const history = (input: object): ExportedHistory => ({ events: [{ eventType: "EVENT_TYPE_ANY", input }] });
const inFile = (input: object) => JSON.parse(toFile(history(input))).events[0].input;

test("a file shows what a payload says", () => {
  expect(inFile(payload('{"cents":5}'))).toEqual({ "json/plain": { cents: 5 } });
  expect(inFile(payload('"waiting"', "Keyword"))).toEqual({ "json/plain": "waiting", type: "Keyword" });
});

test.each([
  ["a number that JSON writes otherwise", payload("1.0")],
  ["a number that loses digits", payload("12345678901234567890")],
  ["keys that a program orders otherwise", payload('{"b":1,"1":2}')],
  ["bytes that are no text", { ...payload("0"), data: Buffer.from([0x22, 0xff, 0x22]).toString("base64") }],
  ["no JSON", payload("{")],
  ["nothing", payload("")],
  ["a mark of another byte order", payload("\ufeff1")],
  ["more than metadata and data", { ...payload("1"), externalPayloads: [] }],
  ["another encoding", { metadata: { encoding: base64("binary/null") } }],
  ["more metadata", { ...payload("1"), metadata: { ...payload("1").metadata, messageType: base64("a.B") } }],
])("%s stays as it is", (_, kept) => {
  expect(inFile(kept)).toEqual(kept);
});

test.each([
  [
    "a value with the name of the mark in it",
    payload('{"json/plain":{"json/plain":1},"identity":"anna","taskId":"t"}'),
  ],
  ["null", payload("null")],
  ["letters of every kind", payload('"ä 🚀 \\u2028 \\" \\\\"')],
  ["a search attribute", payload("[1,2]", "KeywordList")],
])("what a file holds is read as it was written: %s", (_, input) => {
  expect(fromFile(toFile(history(input)))).toEqual(history(input));
});

test("what depends on the machine is left out", () => {
  expect(inFile({ identity: "4711@host", taskId: "9", requestId: "r", kept: 1 })).toEqual({
    identity: "worker",
    kept: 1,
  });
});
