// Encrypts every payload that leaves this process. The server keeps what only the owner of the key can read.
const { createCipheriv, createDecipheriv, randomBytes } = require("node:crypto");
const { temporal } = require("@temporalio/proto");

const { Payload } = temporal.api.common.v1;
const ENCODING = Buffer.from("binary/encrypted");

/** @param {string} hex 64 hex digits: the key of AES-256-GCM */
function aesCodec(hex) {
  const key = Buffer.from(hex, "hex");
  const seal = (payload) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const sealed = Buffer.concat([cipher.update(Payload.encode(payload).finish()), cipher.final()]);
    return { metadata: { encoding: ENCODING }, data: Buffer.concat([nonce, cipher.getAuthTag(), sealed]) };
  };
  const open = (payload) => {
    if (Buffer.from(payload.metadata?.encoding ?? []).toString() !== "binary/encrypted") return payload;
    const data = Buffer.from(payload.data);
    const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, 12));
    decipher.setAuthTag(data.subarray(12, 28));
    return Payload.decode(Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]));
  };
  return {
    encode: async (payloads) => payloads.map(seal),
    decode: async (payloads) => payloads.map(open),
  };
}

/** Messages and stacks of failures are encrypted with the rest. */
const dataConverter = (hex) => ({
  payloadCodecs: [aesCodec(hex)],
  failureConverterPath: require.resolve("./failures.cjs"),
});

module.exports = { dataConverter };
