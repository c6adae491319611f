import { sentenceOf } from '../panel/asking';
import type { ICheckPayload, IFinding } from './payload';
import { trans } from '../translation';
import { Sentence, Markdown, useOutputContext } from './outputcontext';
import { h, useState } from '../jsx';

const SIGNS: Readonly<Record<ICheckPayload['state'], string>> = {
  passed: '✓',
  failed: '✗',
  not_yet: '…',
  unavailable: '!'
};

/** What a check found: one line that says how it ended, then each property. */
export function CheckView({ payload }: { readonly payload: ICheckPayload }): JSX.Element {
  const { exercise, title, state, findings, message, next_step } = payload;
  const held = findings.filter(finding => finding.passed).length;
  return (
    <section className="gpc-Study gpc-Check" data-state={state} aria-label={`${exercise} ${title}`}>
      <header className="gpc-Check-header">
        <span className="gpc-Check-sign" aria-hidden="true">
          {SIGNS[state]}
        </span>
        <span>
          <strong>
            {exercise} {title}
          </strong>{' '}
          <span className="gpc-Check-state">{stateWords(state)}</span>
        </span>
        {state === 'failed' && findings.length > 1 && (
          <span className="gpc-Check-count">
            {trans.__('%1 of %2 properties hold', held, findings.length)}
          </span>
        )}
      </header>
      {message !== '' && (
        <p>
          <Sentence text={message} />
        </p>
      )}
      {findings.length > 0 && <Findings findings={findings} />}
      {payload.state !== 'passed' && (
        <HelpButtons exercise={exercise} nHints={payload.nHints} nSeen={payload.nHintsSeen} />
      )}
      {next_step !== '' && payload.nHints === 0 && (
        <p>
          <Sentence text={next_step} />
        </p>
      )}
    </section>
  );
}

function stateWords(state: ICheckPayload['state']): string {
  switch (state) {
    case 'passed':
      return trans.__('passed');
    case 'failed':
      return trans.__('not correct yet');
    case 'not_yet':
      return trans.__('not yet');
    case 'unavailable':
      return trans.__('could not be checked');
  }
}

interface IHelpProps {
  /** Number of the exercise, such as '06.2'. */
  readonly exercise: string;
  readonly nHints: number;
  /** How many hints the notebook has given before. */
  readonly nSeen: number;
}

/** An exercise's number; what else an output may say is no part of code that is run. */
const EXERCISE = /^\d\d\.\d{1,2}$/;

/** The hints of an exercise, one after the other, and its solution; each can be read again. */
function HelpButtons({ exercise, nHints, nSeen }: IHelpProps): JSX.Element | null {
  const { evaluate } = useOutputContext();
  const [seen, setSeen] = useState(nSeen);
  const [shown, setShown] = useState<{ name: string; text: string } | null>(null);
  const [error, setError] = useState('');
  const [isSure, setSure] = useState(false);
  if (evaluate === null || nHints === 0 || !EXERCISE.test(exercise)) {
    return null;
  }
  const ask = async (name: string, call: string): Promise<boolean> => {
    setError('');
    try {
      const text = await evaluate(`__import__('gpucluster.lessons', fromlist=['*']).${call}`);
      setShown({ name, text });
      return true;
    } catch (reason) {
      setError(sentenceOf(reason));
      return false;
    }
  };
  const toggle = (name: string, call: string, then?: () => void) => async () => {
    if (shown?.name === name) {
      setShown(null);
    } else if (await ask(name, call)) {
      then?.();
    }
  };
  const numbers = Array.from({ length: nHints }, (_, place) => place + 1);
  const isEarly = seen < nHints && !isSure;
  return (
    <div className="gpc-Help">
      <div className="gpc-Study-buttons" role="group" aria-label={trans.__('Help')}>
        {numbers.map(number => (
          <button
            key={number}
            className="gpc-Button"
            aria-expanded={shown?.name === `hint ${number}`}
            disabled={number > seen + 1}
            onClick={() =>
              void toggle(`hint ${number}`, `hint('${exercise}', ${number})`, () =>
                setSeen(before => Math.max(before, number))
              )()
            }
          >
            {trans.__('Hint %1', number)}
          </button>
        ))}
        <button
          className="gpc-Button"
          aria-expanded={shown?.name === 'solution'}
          title={isEarly ? trans.__('Hints remain. Click twice to show the solution anyway') : ''}
          onClick={() =>
            isEarly
              ? setSure(true)
              : void toggle('solution', `solution('${exercise}', anyway=True)`)()
          }
        >
          {isSure && seen < nHints && shown?.name !== 'solution'
            ? trans.__('Skip the remaining hints?')
            : trans.__('Solution')}
        </button>
      </div>
      <div role="status">
        {shown !== null && <Markdown source={shown.text} className="gpc-Help-text" />}
        {error !== '' && <p className="gpc-Study-quiet">{error}</p>}
      </div>
    </div>
  );
}

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
