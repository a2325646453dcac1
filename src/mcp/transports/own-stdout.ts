import { Writable } from "node:stream";

/**
 * Reserves stdout for the protocol: whatever else in this process writes there (a project's code, a library,
 * `console.log`) goes to stderr from now on. Call it before loading anything that might write.
 *
 * @returns the stream that writes to stdout
 */
export function ownStdout(streams: Pick<NodeJS.Process, "stdout" | "stderr"> = process): Writable {
  const { stdout, stderr } = streams;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return new Writable({ decodeStrings: false, write: (chunk, encoding, done) => void write(chunk, encoding, done) });
}
