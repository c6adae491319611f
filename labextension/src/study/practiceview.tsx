import { h, useState } from '../jsx';
import { isAnswered, isRight, type Answer } from './marking';
import type { IQuestion, IQuizPayload } from './payload';
import { QuestionView } from './questionview';
import { useOutputContext } from './outputcontext';
import { trans } from '../translation';

/** Questions one below the other; each is judged as soon as the learner wants it. */
export function PracticeView({ payload }: { readonly payload: IQuizPayload }): JSX.Element {
  const { title, questions } = payload;
  const [solved, setSolved] = useState<ReadonlySet<string>>(new Set());
  return (
    <section className="gpc-Study gpc-Quiz" aria-label={title}>
      <header className="gpc-Study-header">
        <h3>{title}</h3>
        <span>{trans.__('%1 of %2 right', solved.size, questions.length)}</span>
      </header>
      {questions.map((question, place) => (
        <PracticeQuestion
          key={question.id}
          question={question}
          number={place + 1}
          total={questions.length}
          onSolved={() => setSolved(before => new Set([...before, question.id]))}
        />
      ))}
    </section>
  );
}

interface IPracticeProps {
  readonly question: IQuestion;
  readonly number: number;
  readonly total: number;
  readonly onSolved: () => void;
}

type Stage = 'asking' | 'wrong' | 'right' | 'shown';

function PracticeQuestion({ question, number, total, onSolved }: IPracticeProps): JSX.Element {
  const { report } = useOutputContext();
  const [answer, setAnswer] = useState<Answer>([]);
  const [stage, setStage] = useState<Stage>('asking');
  const [hasTried, setHasTried] = useState(false);
  const isOver = stage === 'right' || stage === 'shown';

  const change = (chosen: Answer): void => {
    setAnswer(chosen);
    setStage('asking');
  };
  const check = (): void => {
    if (!isAnswered(question, answer)) {
      return;
    }
    const right = isRight(question, answer);
    setStage(right ? 'right' : 'wrong');
    setHasTried(true);
    void report([{ kind: 'question', id: question.id, right }]);
    if (right) {
      onSolved();
    }
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        check();
      }}
      onKeyDown={event => {
        // A page may keep Enter in a text field from sending the form; JupyterLab does.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
          event.preventDefault();
          if (!isOver && stage !== 'wrong') {
            check();
          }
        }
      }}
    >
      <QuestionView
        question={question}
        number={number}
        total={total}
        answer={answer}
        onAnswer={change}
        told={isOver ? 'all' : stage === 'wrong' ? 'chosen' : 'nothing'}
        isRight={stage === 'right'}
      >
        <div className="gpc-Study-buttons">
          {!isOver && (
            <button
              type="submit"
              className="gpc-Button gpc-mod-accept"
              disabled={stage === 'wrong' || !isAnswered(question, answer)}
            >
              {trans.__('Check')}
            </button>
          )}
          {!isOver && hasTried && (
            <button type="button" className="gpc-Button" onClick={() => setStage('shown')}>
              {trans.__('Show the answer')}
            </button>
          )}
          <span role="status" className="gpc-Verdict" data-stage={stage}>
            {stage === 'right' && trans.__('✓ Right.')}
            {stage === 'wrong' && trans.__('✗ Not right. Choose again.')}
            {stage === 'shown' && trans.__('This is the answer. Try the question again tomorrow.')}
          </span>
        </div>
      </QuestionView>
    </form>
  );
}
