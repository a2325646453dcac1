/** What programs could reach of the host if anything did: its own globals and all that they come with. */
const ROOTS: object[] = [
  globalThis,
  ...[Object, Function, Array, String, Number, Boolean, BigInt, Symbol, Map, Set, WeakMap, RegExp, Date, Promise, Error]
    .concat(RangeError as never, TypeError as never, Uint32Array as never)
    .flatMap((root) => [root, root.prototype as object]),
  Math,
  JSON,
  Reflect,
  Object.getPrototypeOf(function* () {}),
];

/** Remembers them as they are, and tells what has changed since. */
export class HostState {
  private readonly before = ROOTS.map((root) => [root, Object.getOwnPropertyDescriptors(root)] as const);

  changes(): string[] {
    return this.before.flatMap(([root, before]) => {
      const now = Object.getOwnPropertyDescriptors(root) as Record<PropertyKey, PropertyDescriptor>;
      const then = before as Record<PropertyKey, PropertyDescriptor>;
      return [...new Set([...Reflect.ownKeys(now), ...Reflect.ownKeys(then)])]
        .filter((key) => !same(now[key], then[key]))
        .map((key) => `${String(key)} of ${Object.prototype.toString.call(root)}`);
    });
  }
}

function same(a: PropertyDescriptor | undefined, b: PropertyDescriptor | undefined): boolean {
  return Object.is(a?.value, b?.value) && a?.get === b?.get && a?.set === b?.set && a?.writable === b?.writable;
}
