"""Tumult Analytics: a query for the average of each column, at an equal share of epsilon.

Its neighbours add or remove a row, so that n is private: a little more is promised than elsewhere.
"""

import os
import sys

import numpy as np
import pandas as pd
from answering import Question, answer
from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, PureDPBudget, QueryBuilder, Session


def means(question: Question) -> np.ndarray:
    """Private averages, column by column."""
    os.environ["PYSPARK_PYTHON"] = sys.executable  # else Spark's workers take the system's Python
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    d = question.vectors.shape[1]
    names = [f"x{i}" for i in range(d)]
    table = spark.createDataFrame(pd.DataFrame(question.vectors, columns=names))
    total = PureDPBudget(question.epsilon * question.times * 1.001)
    session = Session.from_dataframe(total, "records", table, AddOneRow())
    rows = []
    for _ in range(question.times):
        rows.append([])
        for name, low, high in zip(names, question.low, question.high, strict=True):
            query = QueryBuilder("records").average(name, low=float(low), high=float(high))
            told = session.evaluate(query, PureDPBudget(question.epsilon / d))
            rows[-1].append(told.collect()[0][0])
    return np.array(rows)


answer(means)
