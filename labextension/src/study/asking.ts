import type { INotebookTracker } from '@jupyterlab/notebook';

import { evaluated } from '../actions/kernelpackage';
import { trans } from '../translation';

/**
 * Evaluate an expression in the kernel of the notebook that a node is in, and return what it shows as Markdown. Neither
 * the notebook nor its history have anything of it.
 */
export async function evaluateBeside(
  node: Node,
  expression: string,
  notebooks: INotebookTracker
): Promise<string> {
  const panel = notebooks.find(candidate => candidate.node.contains(node));
  const kernel = panel?.sessionContext.session?.kernel ?? null;
  if (kernel === null) {
    throw new Error(trans.__('This notebook has no kernel. Start one and try again.'));
  }
  const { answer } = await evaluated(kernel, { answer: expression });
  const text = answer?.['text/markdown'] ?? answer?.['text/plain'];
  if (typeof text !== 'string') {
    throw new Error(trans.__('The kernel did not respond. Are the lessons installed in it?'));
  }
  return text;
}
