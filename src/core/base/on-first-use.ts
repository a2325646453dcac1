/**
 * Makes a value when it is first needed. Values that modules make while loading are frozen in a worker, because all its
 * workflows share them. A frozen zod schema would not work, because it changes on its first use.
 */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
