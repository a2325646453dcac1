/**
 * Makes a value when it is first asked for. What modules make while they load is frozen in a worker, because all its
 * workflows share it; a zod schema would not work any more, for it changes when it is first used.
 */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
