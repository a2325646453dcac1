import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The outside world of the soak: a payment service that charges each key once, calls that hang, and a receiver of messages. */
export class Outside {
  /** What was charged (`7/1`: mission and part), by idempotency key. */
  readonly charges = new Map<string, string>();
  /** Requests whose key was charged before: they have no effect. */
  repeats = 0;
  messages = 0;
  /** The receiver answers 503. */
  refusesMessages = false;
  /** Calls of `/hold` and `/ship` are answered when this is over. */
  private held: Promise<void> = Promise.resolve();
  private release = () => {};
  private readonly server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = await this.answer(
      request.url ?? "",
      String(request.headers["idempotency-key"] ?? ""),
      body === "" ? {} : JSON.parse(body),
    );
    response.writeHead(answer === null ? 503 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer));
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.letGo();
    this.server.closeAllConnections();
    this.server.close();
  }

  hold(): void {
    this.held = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  letGo(): void {
    this.release();
  }

  /** What is wrong with the charges. @param expected `7/1` of all that must have been charged */
  judge(expected: ReadonlySet<string>): string[] {
    const times = new Map<string, number>();
    for (const what of this.charges.values()) times.set(what, (times.get(what) ?? 0) + 1);
    return [
      ...[...times].filter(([, n]) => n > 1).map(([what, n]) => `${what} was charged ${n} times`),
      ...[...expected].filter((what) => !times.has(what)).map((what) => `${what} was not charged`),
      ...[...times.keys()].filter((what) => !expected.has(what)).map((what) => `${what} was charged without a reason`),
    ];
  }

  private async answer(place: string, key: string, args: { n?: number; part?: number }): Promise<object | null> {
    if (place === "/messages") {
      this.messages += 1;
      return this.refusesMessages ? null : {};
    }
    const { n = 0, part = 0 } = args;
    if (place === "/charge" || place === "/ship") {
      if (this.charges.has(key)) this.repeats += 1;
      this.charges.set(key, `${n}/${part}`);
    }
    if (place === "/hold" || place === "/ship") await this.held;
    return { n };
  }
}
