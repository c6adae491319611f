import { Fragment, h } from '../jsx';
import { useTick } from './asking';

export interface ITickingProps {
  readonly milliseconds: number;
  readonly text: () => string;
}

/** Text that depends on the time: drawn again now and then, and nothing else with it. */
export function Ticking({ milliseconds, text }: ITickingProps): JSX.Element {
  useTick(milliseconds);
  return h(Fragment, null, text());
}
