import { h } from '../jsx';
import type { IFinding } from './payload';
import { Sentence } from './outputcontext';
import { trans } from '../translation';

interface IFindingsProps {
  readonly findings: readonly IFinding[];
}

/** Which properties hold and which do not, and what was seen instead. */
export function Findings({ findings }: IFindingsProps): JSX.Element {
  return (
    <ul className="gpc-Findings">
      {findings.map(finding => (
        <li key={finding.expected} data-passed={finding.passed}>
          <Mark isRight={finding.passed} />
          <span>
            <Sentence text={finding.expected} />
          </span>
          <span className="gpc-Findings-observed">
            <Sentence text={finding.observed} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A tick or a cross, in words for those who do not see it. */
export function Mark(props: {
  readonly isRight: boolean;
  /** Where words beside it say the same. */
  readonly isSilent?: boolean;
}): JSX.Element {
  const { isRight, isSilent = false } = props;
  const spoken = isSilent
    ? { 'aria-hidden': true }
    : { role: 'img', 'aria-label': isRight ? trans.__('holds') : trans.__('fails') };
  return (
    <span
      className={isRight ? 'gpc-StudyMark gpc-mod-right' : 'gpc-StudyMark gpc-mod-wrong'}
      {...spoken}
    >
      {isRight ? '✓' : '✗'}
    </span>
  );
}
