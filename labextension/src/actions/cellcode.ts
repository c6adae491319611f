/** What is written into cells. */

const PROFILE = '%%gpucluster profile';

/** The cell's source as one that is measured; as it is where it says so already. */
export function profiledSource(source: string): string {
  return /^\s*%%gpucluster\s+profile\b/.test(source) ? source : `${PROFILE}\n${source}`;
}
