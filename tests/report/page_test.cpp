// The page is one file, and nothing of a run can become markup in it.
#include "report/page.hpp"

#include <cmath>
#include <limits>
#include <regex>

#include <gtest/gtest.h>

#include "model/hash.hpp"
#include "report/document.hpp"
#include "report/json_output.hpp"
#include "report/page_asset.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

TEST(Page, TheAssetAsksForNothingAndAllowsItsOwnScriptOnly) {
  const std::string asset(page_asset());
  EXPECT_EQ(asset.find("EVO_REPORT_DATA"), asset.rfind("EVO_REPORT_DATA"));
  EXPECT_LT(asset.size(), 400'000U);
  EXPECT_NE(asset.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(asset.find("require-trusted-types-for 'script'; trusted-types 'none'"), std::string::npos)
      << "nothing may parse markup";
  EXPECT_EQ(asset.find("unsafe-"), std::string::npos);
  for (const char* word : {"<link", "src=\"http", "@import"})
    EXPECT_EQ(asset.find(word), std::string::npos) << word;
}

TEST(Page, InfinityAndNaNAreNullAndTextsWithTheseWordsStay) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::string words = "a \"NaN\" of -Infinity\\";
  const boost::json::array written{infinite, -infinite, std::nan(""), 1.5, boost::json::string(words)};
  const boost::json::value read = boost::json::parse(strict_json(boost::json::serialize(written)));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(read.at(i).is_null()) << i;
  EXPECT_EQ(read.at(3), 1.5);
  EXPECT_EQ(read.at(4), boost::json::string(words));
}

TEST(Page, WhatIsEmbeddedReadsBackAndCannotEndItsElement) {
  boost::json::array texts;
  for (const std::string& text : testing::hostile_texts()) texts.emplace_back(text);
  const std::string safe = embedded_json(texts);
  for (const char* word : {"<", ">", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    EXPECT_EQ(safe.find(word), std::string::npos) << word;
  EXPECT_EQ(safe.find('\0'), std::string::npos);
  const boost::json::array back = boost::json::parse(safe).as_array();
  ASSERT_EQ(back.size(), texts.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    if (texts[i].as_string().find('\xff') != boost::json::string::npos) continue;
    EXPECT_EQ(back[i], texts[i]);
  }
}

TEST(Page, AHostileRunAddsNoElement) {
  const testing::Scratch scratch;
  testing::invent_run(scratch / "run", {.trials = 80, .hostile = true});
  const std::string page = page_of(document_of({scratch / "run"}));
  const auto count = [](std::string_view text, std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      ++found;
    return found;
  };
  for (const char* word : {"<script", "</script", "<img", "<svg", "<h1", "<!--"})
    EXPECT_EQ(count(page, word), count(page_asset(), word)) << word;
}

}  // namespace
}  // namespace evo::report
