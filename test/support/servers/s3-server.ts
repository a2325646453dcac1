import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The part of the S3 protocol that payload storage needs, in memory: PUT and GET of an object, with a signed request. */
export async function startS3(): Promise<{ url: string; objects: Map<string, Buffer>; close(): Promise<void> }> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const key = new URL(request.url ?? "/", "http://s3").pathname;
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const answer = (status: number, body: string | Buffer = "") => response.writeHead(status).end(body);
      if (!/^AWS4-HMAC-SHA256 Credential=/.test(request.headers.authorization ?? "")) return answer(403);
      if (request.method === "PUT") {
        objects.set(key, Buffer.concat(parts));
        return answer(200);
      }
      const found = objects.get(key);
      if (found !== undefined) return answer(200, found);
      return answer(404, "<Error><Code>NoSuchKey</Code><Message>absent</Message></Error>");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
