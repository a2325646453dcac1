import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The part of the S3 protocol that payload storage needs, in memory: PUT and GET of an object, with a signed request. */
export async function startS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const fake = { mayList: true, outage: 0 };
  const server = createServer((request, response) => {
    const key = new URL(request.url ?? "/", "http://s3").pathname;
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const answer = (status: number, body: string | Buffer = "") => response.writeHead(status).end(body);
      if (!/^AWS4-HMAC-SHA256 Credential=/.test(request.headers.authorization ?? "")) return answer(403);
      if (fake.outage > 0) {
        fake.outage--;
        return answer(503, "<Error><Code>ServiceUnavailable</Code><Message>Try again.</Message></Error>");
      }
      if (request.method === "PUT") {
        objects.set(key, Buffer.concat(parts));
        return answer(200);
      }
      const found = objects.get(key);
      if (found !== undefined) return answer(200, found);
      if (!fake.mayList) return answer(403, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>");
      return answer(404, "<Error><Code>NoSuchKey</Code><Message>absent</Message></Error>");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

export interface FakeS3 {
  url: string;
  objects: Map<string, Buffer>;
  /** Whether it says that an object is not there: S3 does so only to those who may list the bucket. */
  mayList: boolean;
  /** So many of the next requests are answered with 503. */
  outage: number;
  close(): Promise<void>;
}
