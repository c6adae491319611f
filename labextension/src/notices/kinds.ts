/** Kinds of news that a person may be told. */
export const NEWS_KINDS = ['done', 'worker_died', 'spill', 'pause', 'gpu', 'stopped'] as const;
