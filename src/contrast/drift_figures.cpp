#include <utility>

#include "contrast/box_m.hpp"
#include "suffice/contrast/drift.hpp"

namespace suffice {
namespace {

void add(Figure::Record& record, const Change& change) {
  record.push_back({"p", change.p});
  record.push_back({"p_adjusted", change.p_adjusted});
  record.push_back({"found", change.found});
  record.push_back({"flagged", change.flagged});
}

Figure::Record record(const ColumnDrift& of) {
  Figure::Record record = {{"name", of.name},   {"family", std::string(to_string(of.family))},
                           {"auc", of.auc},     {"effect", of.effect},
                           {"p", of.p},         {"p_adjusted", of.p_adjusted},
                           {"found", of.found}, {"flagged", of.flagged}};
  if (of.family != Family::categorical && of.family != Family::text &&
      of.family != Family::multinomial) {
    record.push_back({"old_mean", of.old_mean});
    record.push_back({"new_mean", of.new_mean});
  }
  if (of.spread) {
    record.push_back({"old_deviation", of.old_deviation});
    record.push_back({"new_deviation", of.new_deviation});
    Figure::Record spread = {{"ratio", *of.spread}};
    add(spread, of.spread_change);
    record.push_back({"spread", std::move(spread)});
  }
  if (of.distance) {
    Figure::Record rank = {{"distance", *of.distance}};
    add(rank, of.rank);
    record.push_back({"rank", std::move(rank)});
  }
  if (of.unique_d2) record.push_back({"unique_d2", *of.unique_d2});
  return record;
}

Figure joint_figure(const std::optional<JointDrift>& joint) {
  if (!joint) return {"joint", std::monostate()};
  Figure::Record record = {{"auc", joint->auc},    {"auc_quadratic", joint->auc_quadratic},
                           {"d2", joint->d2},      {"t2", joint->t2.statistic},
                           {"f", joint->t2.f},     {"df1", joint->t2.df1},
                           {"df2", joint->t2.df2}, {"p", joint->t2.p}};
  record.push_back(box_m_figure(joint->box_m));
  record.push_back({"found", joint->found});
  record.push_back({"flagged", joint->flagged});
  return {"joint", std::move(record)};
}

Figure::Record shares(const ShareDrift& of) {
  Figure::Record record = {{"total_variation", of.total_variation}, {"g", of.g}, {"df", of.df}};
  add(record, of.change);
  return record;
}

Figure classes_figure(const Drift& drift) {
  if (!drift.classes) return {"classes", std::monostate()};
  Figure::Record record = {{"labels", drift.labels},
                           {"old", drift.classes->old_shares},
                           {"new", drift.classes->new_shares}};
  for (Figure& figure : shares(*drift.classes)) record.push_back(std::move(figure));
  std::vector<Figure::Record> densities;
  for (const ClassDrift& of : drift.densities) {
    Figure::Record density = {{"label", of.label},
                              {"old_rows", of.old_rows},
                              {"new_rows", of.new_rows},
                              {"auc", of.auc},
                              {"d2", of.d2}};
    add(density, of.change);
    densities.push_back(std::move(density));
  }
  record.push_back({"densities", std::move(densities)});
  return {"classes", std::move(record)};
}

Figure correlations_figure(const Drift& drift) {
  if (!drift.correlations) return {"correlations", std::monostate()};
  std::vector<Figure::Record> pairs;
  for (const CorrelationDrift::Pair& of : drift.correlations->pairs) {
    Figure::Record pair = {
        {"a", of.a}, {"b", of.b}, {"old", of.before}, {"new", of.after}, {"z", of.z}};
    add(pair, of.change);
    pairs.push_back(std::move(pair));
  }
  return {"correlations", Figure::Record{{"found", drift.correlations->found},
                                         {"flagged", drift.correlations->flagged},
                                         {"pairs", std::move(pairs)}}};
}

}  // namespace

std::vector<Figure> drift_figures(const Drift& drift) {
  Figure::Record figures = {{"found", drift.found},
                            {"flagged", drift.flagged},
                            {"old_rows", drift.old_rows},
                            {"new_rows", drift.new_rows},
                            joint_figure(drift.joint)};
  std::vector<Figure::Record> columns, missing, levels;
  for (const ColumnDrift& of : drift.columns) columns.push_back(record(of));
  for (const ShareDrift& of : drift.missing) {
    Figure::Record column = {
        {"name", of.name}, {"old", of.old_shares[1]}, {"new", of.new_shares[1]}};
    for (Figure& figure : shares(of)) column.push_back(std::move(figure));
    missing.push_back(std::move(column));
  }
  for (const LevelDrift& of : drift.levels)
    levels.push_back({{"name", of.name}, {"new", of.added}, {"gone", of.gone}});
  figures.push_back({"columns", std::move(columns)});
  figures.push_back(classes_figure(drift));
  figures.push_back({"missing", std::move(missing)});
  figures.push_back({"levels", std::move(levels)});
  figures.push_back(correlations_figure(drift));
  figures.push_back({"notes", drift.notes});
  return figures;
}

}  // namespace suffice
