import { StringDecoder } from "node:string_decoder";
import type { KnownSecrets } from "./known-secrets";

/**
 * Masks a text that comes in pieces: a secret may begin in one piece and end in the next. So the end of the last piece is kept back, as
 * long as it may be the beginning of a secret.
 */
export class MaskedPieces {
  private kept: Buffer = Buffer.alloc(0);

  /** @param keepsLength as for `KnownSecrets.maskBytes` */
  constructor(
    private readonly secrets: KnownSecrets,
    private readonly keepsLength = false,
  ) {}

  /** @returns what can be passed on now; it may be empty, and its last character may be cut in the middle */
  push(piece: Uint8Array): Buffer {
    const all = this.kept.length === 0 ? piece : Buffer.concat([this.kept, piece]);
    const { clean, open } = this.secrets.maskUntilOpen(all, this.keepsLength);
    this.kept = asBuffer(open);
    return asBuffer(clean);
  }

  /** @returns the rest */
  end(): Buffer {
    const rest = this.secrets.maskBytes(this.kept, this.keepsLength);
    this.kept = Buffer.alloc(0);
    return asBuffer(rest);
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/** The same for a text that comes as strings, as from a model. */
export class MaskedText {
  private readonly pieces: MaskedPieces;
  private readonly decoder = new StringDecoder("utf8");
  /** The first half of a character that came without its second half. */
  private half = "";

  constructor(private readonly secrets: KnownSecrets) {
    this.pieces = new MaskedPieces(secrets);
  }

  push(piece: string): string {
    if (this.secrets.isEmpty) return piece;
    const text = this.half + piece;
    this.half = HIGH_SURROGATE.exec(text)?.[0] ?? "";
    return this.decoder.write(this.pieces.push(Buffer.from(text.slice(0, text.length - this.half.length))));
  }

  /** @returns the rest */
  end(): string {
    const { half } = this;
    this.half = "";
    return this.decoder.write(this.pieces.end()) + this.decoder.end() + half;
  }
}
