/** What is written into cells. */

const PROFILE = '%%gpucluster profile';

/** The cell's source as one that is measured; as it is where it says so already. */
export function profiledSource(source: string): string {
  return /^\s*%%gpucluster\s+profile\b/.test(source) ? source : `${PROFILE}\n${source}`;
}

/** The line that records a cluster into a file beside the notebook, named by the cluster and the moment. */
export function recordCode(name: string, now: Date): string {
  const moment = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const file = `${name.replace(/[^\w-]+/g, '-')}-${moment}.gpucluster.jsonl.gz`;
  return `%load_ext gpucluster\n%gpucluster record ${file} ${name}`;
}
