import { createRequire } from "node:module";

type WriteText = (this: object, text: string) => object;

/** Of the copy of protobufjs that the SDK writes with: npm may install several. */
const { BufferWriter } = createRequire(require.resolve("@temporalio/proto"))("protobufjs/minimal") as {
  BufferWriter: { prototype: { string: WriteText } };
};

let isSet = false;

/**
 * Makes the SDK of this process write whole characters only. It writes half of a character in a text of fewer than 40 units as bytes that
 * are no UTF-8. Its core then refuses everything that the text came with, and the worker ends; the next worker gets the same task and ends,
 * too. This covers ids, names, summaries, reasons and failures alike, in workers and in clients.
 */
export function sendWholeCharacters(): void {
  if (isSet) return;
  isSet = true;
  const write = BufferWriter.prototype.string;
  BufferWriter.prototype.string = function (text) {
    return write.call(this, text.toWellFormed());
  };
}
