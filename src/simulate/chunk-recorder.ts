import type { Chunk, ChunkListener, ChunkListeners } from "../models/listener";

/** The chunks of a listener, without the run's id. */
export type ReceivedChunk = Omit<Chunk, "workflowId"> & { listener: string };

/** Listeners that record their chunks, in order, before they handle them. */
export function keepingChunks(listeners: ChunkListeners): { onChunk: ChunkListeners; chunks: ReceivedChunk[] } {
  const chunks: ReceivedChunk[] = [];
  const keeping = ([listener, listen]: [string, ChunkListener]): [string, ChunkListener] => [
    listener,
    (chunk) => {
      const { workflowId: _, ...received } = chunk;
      chunks.push({ listener, ...received });
      return listen(chunk);
    },
  ];
  return { onChunk: Object.fromEntries(Object.entries(listeners).map(keeping)), chunks };
}

/** Listeners of these names that do nothing else. */
export const namedListeners = (names: readonly string[]): ChunkListeners =>
  Object.fromEntries(names.map((name) => [name, () => {}]));
