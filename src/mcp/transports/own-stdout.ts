/** The part of stdout that the SDK's stdio transport needs. */
type ProtocolStream = Pick<NodeJS.WriteStream, "write" | "once">;

/**
 * Reserves stdout for the protocol: whatever else in this process writes there (a project's code, a library,
 * `console.log`) goes to stderr from now on. Call it before loading anything that might write.
 */
export function ownStdout(streams: Pick<NodeJS.Process, "stdout" | "stderr"> = process): ProtocolStream {
  const { stdout, stderr } = streams;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return { write, once: stdout.once.bind(stdout) } as ProtocolStream;
}
