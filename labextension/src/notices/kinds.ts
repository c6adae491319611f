/** Kinds of news that a person may be told. */
export const NEWS_KINDS = [
  'done',
  'worker_died',
  'spill',
  'pause',
  'gpu',
  'message',
  'stopped'
] as const;

/** Whether it reports the end of a batch that the user waits for. */
export function isOfBatch(kind: string): boolean {
  return kind === 'done' || kind === 'not_done';
}

/** The kind by which a person chooses to be told or not: who waits for a batch wants to know of either end. */
export function chosenBy(kind: string): string {
  return isOfBatch(kind) ? 'done' : kind === 'worker_memory' ? 'worker_died' : kind;
}
