import { BreakdownLists } from './breakdown-lists.js';
import { BreakdownRepository } from './breakdown.repository.js';
import { BreakdownService } from './breakdown.service.js';
import { FactDays } from './fact-days.js';
import { FactDaysRepository } from './fact-days.repository.js';
import { PeopleRepository } from './people.repository.js';
import { PeopleService } from './people.service.js';
import { PriceTables } from './price-tables.js';
import { QuestionAnswers } from './question-answers.js';
import { QuestionQueries } from './question-queries.js';
import { QuestionStates } from './question-states.js';
import { QuestionsRepository } from './questions.repository.js';
import { RunningDay } from './running-day.js';
import { SummaryService } from './summary.service.js';
import { TodayService } from './today.service.js';

export const QUESTION_PROVIDERS = [
  BreakdownLists,
  BreakdownRepository,
  BreakdownService,
  FactDays,
  FactDaysRepository,
  PeopleRepository,
  PeopleService,
  PriceTables,
  QuestionAnswers,
  QuestionQueries,
  QuestionStates,
  QuestionsRepository,
  RunningDay,
  SummaryService,
  TodayService,
];
