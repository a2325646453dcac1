/** Whether a value from a file is a version of the people (approvals reference, section 2): SHA-256 in base64url. */
export const isPeopleVersion = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9_-]{43}$/.test(value);
