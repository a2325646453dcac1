import type { WorkflowClientInterceptor } from "@temporalio/client";
import type { DataConverter, Payload, PayloadCodec } from "@temporalio/common";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { KnownSecrets } from "../secrets/known-secrets";
import { encodingOf } from "./unreadable-payload";

/**
 * Keeps secrets out of histories (docs/security.md, "Secrets"): it sees each payload before any codec. A client that would send a
 * secret is refused, because a person or a program can mend that. In a worker the value has come from outside and the work continues:
 * it is masked.
 */
export class SecretGuard implements PayloadCodec {
  private readonly reported = new Set<string>();

  /** @param report is called with the name of a secret that was masked, once for each */
  constructor(
    private readonly secrets: KnownSecrets,
    private readonly found: "refuse" | "mask",
    private readonly report?: (name: string) => void,
  ) {}

  /** The guard of a worker with the same secrets. */
  masking(report?: (name: string) => void): SecretGuard {
    return new SecretGuard(this.secrets, "mask", report);
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const name = this.secrets.findIn(payload.data ?? new Uint8Array());
      if (name === null) return payload;
      if (this.found === "mask") return this.maskedPayload(payload);
      throw refused(name, placeIn(this.secrets, jsonOf(payload.data as Uint8Array)));
    });
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads;
  }

  private maskedPayload(payload: Payload): Payload {
    const data = payload.data as Uint8Array;
    for (const name of this.secrets.namesIn(data)) {
      if (!this.reported.has(name)) this.report?.(name);
      this.reported.add(name);
    }
    const isJson = encodingOf(payload).startsWith("json/");
    return { ...payload, data: isJson ? this.maskedJson(data) : this.secrets.maskBytes(data, true) };
  }

  private maskedJson(data: Uint8Array): Uint8Array {
    const json = jsonOf(data);
    // Masked as a value: a number that is a secret becomes a text, and the JSON stays JSON.
    if (json !== undefined) {
      const clean = Buffer.from(JSON.stringify(this.secrets.maskJson(json)));
      if (this.secrets.findIn(clean) === null) return clean;
    }
    return this.secrets.maskBytes(data);
  }
}

/**
 * The data converter of a worker: where that of a client refuses a secret, it masks it.
 *
 * @param guard for a converter that has none. Default: such a converter stays as it is
 */
export function maskingSecrets(
  converter: DataConverter,
  { guard, report }: { guard?: SecretGuard; report?: (name: string) => void } = {},
): DataConverter {
  const { payloadCodecs = [] } = converter;
  const isGuarded = payloadCodecs.some((codec) => codec instanceof SecretGuard);
  if (!isGuarded && guard === undefined) return converter;
  const codecs = isGuarded || guard === undefined ? payloadCodecs : [guard, ...payloadCodecs];
  return {
    ...converter,
    payloadCodecs: codecs.map((codec) => (codec instanceof SecretGuard ? codec.masking(report) : codec)),
  };
}

/** Refuses a start whose workflow id or search attributes contain a secret: they are no payloads that a codec sees. */
export function refusingSecretsInIds(secrets: KnownSecrets): WorkflowClientInterceptor {
  return {
    start: async (input, next) => {
      const { workflowId, searchAttributes, typedSearchAttributes } = input.options;
      const attributes = { ...searchAttributes, typed: typedSearchAttributes };
      for (const [place, value] of Object.entries({ id: workflowId, search_attributes: JSON.stringify(attributes) })) {
        const name = secrets.findIn(value);
        if (name !== null) throw refused(name, `the ${place}`);
      }
      return next(input);
    },
  };
}

const refused = (name: string, place: string): NavigatorError =>
  new NavigatorError(
    "secret_in_input",
    `The value of the secret ${name} would be sent to the server, in ${place}. Nothing was sent.`,
    {
      hint: `Give the name of the secret instead, and let a tool read its value in the worker. If ${name} is no secret: secrets: { ignore: ["${name}"] } in navigator.config.`,
      details: { secret: name, place },
    },
  );

function jsonOf(data: Uint8Array): Json | undefined {
  try {
    return JSON.parse(Buffer.from(data).toString("utf8")) as Json;
  } catch {
    return undefined;
  }
}

/** Where in a value the first secret is: `context.note`, `agent.tools.0.name`. Keys that contain a secret are not named. */
function placeIn(secrets: KnownSecrets, json: Json | undefined): string {
  if (json === undefined || json === null || typeof json !== "object") return "the input";
  const path: string[] = [];
  for (let at: Json | undefined = json; typeof at === "object" && at !== null; ) {
    const entries: [string, Json][] = Array.isArray(at)
      ? at.map((item, i) => [`${i}`, item])
      : isObject(at)
        ? Object.entries(at)
        : [];
    const [key, value] =
      entries.find(([key, item]) => secrets.findIn(key) === null && secrets.findIn(JSON.stringify(item)) !== null) ??
      [];
    if (key === undefined) break;
    path.push(key);
    at = value;
  }
  return path.length === 0 ? "a key of the input" : path.join(".");
}
