/** An object type without `undefined`: what may be undefined is optional. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The same object without the keys whose value is undefined, in the same order: `{ id, ...defined({ note, task }) }`.
 * A key with the value undefined would be written to histories by some encoders and left out by others.
 */
export function defined<T extends object>(values: T): Defined<T> {
  const kept: Partial<T> = {};
  for (const key of Object.keys(values) as (keyof T)[]) if (values[key] !== undefined) kept[key] = values[key];
  return kept as unknown as Defined<T>;
}

/** The same for data: JSON has no undefined. Objects of classes stay, to be refused. @param levels of objects and lists */
export function withoutUndefined(value: unknown, levels = Number.POSITIVE_INFINITY): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, levels - 1));
  if (!isPlainObject(value)) return value;
  const given = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(given.map(([key, item]) => [key, withoutUndefined(item, levels - 1)]));
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
